"""Modules that programs name, with nothing behind them here: CUDA, compilers, other processes.

Programs find them where PyTorch has them: the package looks for its parts in this folder too (its
``__path__`` leads here), so ``import graphwidget.cuda.amp`` loads ``standins/cuda/amp.py``, as
``graphwidget.cuda.amp`` and only when a program asks. Files here therefore name the rest of the
package absolutely.
"""
