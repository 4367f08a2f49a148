"""Factories, random tensors, questions about types: results, warnings and errors as PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.both import attempt, both

EXPRESSIONS = """
torch.zeros(-1)
torch.zeros(2,-1)
torch.ones(-2)
torch.rand(-2)
torch.full((-1,),2)
torch.zeros(2.)
torch.zeros('a')
torch.zeros([2,3])
torch.zeros(size=(2,))
torch.zeros(torch.tensor(2))
torch.zeros(())
torch.zeros()
torch.full((2,),True)
torch.full((2,),-1,dtype=torch.uint8)
torch.full((2,),300,dtype=torch.uint8)
torch.full((2,),float('nan'),dtype=torch.int32)
torch.tensor([1.,float('nan')],dtype=torch.int32)
torch.tensor([-0.2],dtype=torch.uint8)
torch.tensor([-200],dtype=torch.uint8)
torch.arange(-2.5,2.5,dtype=torch.int64)
torch.arange(-2.5,2.5,dtype=torch.int32)
torch.arange(0,2,.5,dtype=torch.int64)
torch.zeros(2,3,out=torch.arange(3))
torch.full((2,),1.5,out=torch.arange(3))
torch.ones(2,out=torch.ones(2,requires_grad=True))
torch.empty(2,out=torch.ones(2,requires_grad=True))
torch.arange(4,out=torch.ones(2,2))
torch.linspace(0,1,4,out=torch.ones(2,2))
torch.linspace(0,4,3,out=torch.arange(3))
torch.zeros(2,out=5)
torch.ones(2,1,3,1).squeeze(1,3)
torch.ones(2,1,3,1).squeeze_(1,3)
torch.ones(2,1,3,1).squeeze(axis=1)
torch.ones(2,3).count_nonzero(0,1)
torch.full((2,),1.5)
torch.full((2,),1,dtype=torch.int8)
torch.full((2,),torch.tensor(2.))
torch.full(2,3)
torch.full_like(torch.ones(2),True)
torch.full_like(torch.ones(2,dtype=torch.long),1.5)
torch.arange(5)
torch.arange(5.)
torch.arange(1,2,0.25)
torch.arange(1,5,2)
torch.arange(5,1)
torch.arange(5,1,-1)
torch.arange(1,5,0)
torch.arange(0,1,0.1,dtype=torch.float64)
torch.arange(0.,float('nan'))
torch.arange(0,float('inf'))
torch.arange(3,dtype=torch.int8)
torch.arange(True)
torch.arange(0,3,dtype=torch.bool)
torch.arange(torch.tensor(3))
torch.arange(1,4,torch.tensor(1.))
torch.arange('a')
torch.arange(end=3)
torch.arange(start=1,end=3)
torch.linspace(0,1,5)
torch.linspace(0,1,1)
torch.linspace(0,1,0)
torch.linspace(0,1,-1)
torch.linspace(0,10,5,dtype=torch.int64)
torch.linspace(torch.tensor(0.),1,3)
torch.linspace(start=0,end=1,steps=3)
torch.logspace(0,2,3)
torch.logspace(0,2,3,base=2)
torch.logspace(0,2,0)
torch.logspace(0,2,1)
torch.logspace(0,2,5,dtype=torch.int64)
torch.eye(2)
torch.eye(2,3)
torch.eye(-1)
torch.eye(2,-3)
torch.eye(2,dtype=torch.bool)
torch.eye(0)
torch.randint(5,(3,))
torch.randint(5,5,(3,))
torch.randint(2,1,(3,))
torch.randint(0,(3,))
torch.randint(1,3,(2,),dtype=torch.float32)
torch.randint(0,300,(2,),dtype=torch.uint8)
torch.randint_like(torch.ones(2),3)
torch.randint_like(torch.ones(2),3,2)
torch.randperm(-1)
torch.randperm(0)
torch.randperm(4,dtype=torch.float32)
torch.randperm(4,dtype=torch.int32)
torch.normal(0.,-1.,(2,))
torch.normal(torch.zeros(2),-1.)
torch.normal(torch.zeros(2),-torch.ones(2))
torch.normal(0.,torch.ones(2))
torch.normal(torch.zeros(2))
torch.normal(torch.zeros(2),torch.ones(3))
torch.normal(0,1,(2,))
torch.bernoulli(torch.tensor([2.]))
torch.bernoulli(torch.tensor([1]))
torch.bernoulli(torch.zeros(2),0.5)
torch.bernoulli(0.5)
torch.multinomial(torch.tensor([1.,2]),3)
torch.multinomial(torch.tensor([1.,2]),0)
torch.multinomial(torch.tensor([-1.,2]),1)
torch.multinomial(torch.tensor([0.,0]),1)
torch.multinomial(torch.tensor([1,2]),1)
torch.multinomial(torch.tensor(1.),1)
torch.multinomial(torch.ones(2,3,4),1)
torch.multinomial(torch.ones(2,3),2).shape
torch.multinomial(torch.tensor([float('inf'),1]),1)
torch.multinomial(torch.ones(0),1)
torch.tril_indices(3,3)
torch.tril_indices(2,4,1)
torch.tril_indices(4,2,-1)
torch.triu_indices(3,3)
torch.triu_indices(2,4,-1)
torch.triu_indices(4,2,2)
torch.tril_indices(-1,2)
torch.tril_indices(2,2,dtype=torch.int32)
torch.meshgrid(torch.arange(2),torch.arange(3))
torch.meshgrid(torch.arange(2),torch.arange(3),indexing='xy')
torch.meshgrid(torch.arange(2),indexing='ab')
torch.meshgrid()
torch.meshgrid([torch.arange(2.),torch.arange(3)])
torch.meshgrid(torch.tensor(1),torch.arange(3),indexing='ij')
torch.cartesian_prod(torch.arange(2),torch.arange(3))
torch.cartesian_prod(torch.arange(2))
torch.cartesian_prod(torch.ones(2,2))
torch.combinations(torch.arange(4))
torch.combinations(torch.arange(3),3)
torch.combinations(torch.arange(3),2,True)
torch.combinations(torch.arange(3),0)
torch.combinations(torch.arange(3),-1)
torch.combinations(torch.ones(2,2))
torch.empty_strided((2,3),(1,2)).stride()
torch.empty_strided((2,3),(1,))
torch.empty_strided((2,),(-1,))
torch.scalar_tensor(3)
torch.scalar_tensor(3.5)
torch.scalar_tensor(True)
torch.scalar_tensor(2,dtype=torch.int32)
torch.asarray([1,2])
torch.asarray(np.ones(2))
torch.asarray(1.5)
torch.asarray(torch.ones(2),dtype=torch.float64)
torch.asarray([1.,2],requires_grad=True)
torch.asarray([1,2],copy=False)
torch.as_tensor([1,2.])
torch.tensor([1,2],requires_grad=True)
torch.tensor([[1,2],[3]])
torch.tensor([1,'a'])
torch.tensor(None)
torch.tensor({})
torch.tensor('a')
torch.tensor([])
torch.tensor([[]])
torch.tensor([True,1])
torch.tensor([1,2.5])
torch.tensor(2**63)
torch.tensor(2**70)
torch.tensor([300],dtype=torch.uint8)
torch.tensor([-1],dtype=torch.uint8)
torch.tensor([1.7],dtype=torch.int64)
torch.tensor(np.float32(2))
torch.tensor([np.float64(2)])
torch.tensor([np.float32(2)])
torch.tensor([torch.tensor(1.),torch.tensor(2.)])
torch.tensor([torch.ones(2)])
torch.tensor(range(3))
torch.tensor((1,2))
torch.tensor([(1,2),(3,4)])
torch.tensor(5,dtype=torch.float16)
torch.tensor(1.,dtype=int)
torch.from_numpy([1])
torch.result_type(torch.ones(2,dtype=torch.int32),1.5)
torch.result_type(1,2.)
torch.result_type(torch.tensor(1.),torch.ones(2,dtype=torch.int64))
torch.result_type('a',1)
torch.can_cast(torch.float32,torch.int32)
torch.can_cast(torch.int64,torch.float16)
torch.can_cast(torch.bool,torch.uint8)
torch.promote_types(torch.uint8,torch.int8)
torch.promote_types(torch.float16,torch.int64)
torch.promote_types(1,2)
torch.is_floating_point(torch.ones(1))
torch.is_complex(torch.ones(1))
torch.numel(torch.ones(2,2))
torch.is_nonzero(torch.tensor(1))
torch.set_default_dtype(torch.int32)
torch.set_default_dtype('a')
torch.vander(torch.tensor([1.,2,3]))
torch.vander(torch.tensor([1,2,3]),2,increasing=True)
torch.zeros(2,requires_grad=True,dtype=torch.long)
torch.rand(2,dtype=torch.long)
torch.randn(2,dtype=torch.long)
torch.ones(2).new_zeros(3)
torch.ones(2,dtype=torch.long).new_tensor([1.5])
torch.ones(2).new_full((2,),3)
torch.ones(2).new_empty_strided((2,),(1,)).shape
torch.ones(2,dtype=torch.double).new_ones(2)
torch.ones(2).new_tensor([1,2])
torch.ones(2,dtype=torch.long).new_full((2,),1.5)
torch.ones(2).random_(5,2)
torch.ones(2).uniform_(3,2)
torch.ones(2).normal_(0,-1)
torch.ones(2).bernoulli_(2)
torch.ones(2).exponential_(-1)
torch.ones(2).geometric_(2)
torch.ones(2).geometric_(0)
torch.ones(2).cauchy_(0,-1)
torch.ones(2).log_normal_(0,-1)
torch.ones(2,dtype=torch.long).exponential_()
torch.ones(2,dtype=torch.long).cauchy_()
torch.ones(2,dtype=torch.long).log_normal_()
torch.ones(2,dtype=torch.long).geometric_(.5).dtype
torch.ones(2,dtype=torch.long).bernoulli_()
torch.ones(2,dtype=torch.long).uniform_()
torch.ones(2,dtype=torch.long).normal_()
torch.ones(2,dtype=torch.uint8).random_(300)
torch.ones(2,requires_grad=True).exponential_()
torch.rand(2,2,generator=torch.Generator().manual_seed(1)).shape
torch.Generator().initial_seed()
torch.Generator().device
torch.manual_seed('a')
torch.manual_seed(2**64)
torch.manual_seed(-1).initial_seed()
torch.zeros_like(torch.ones(2),dtype=torch.long)
torch.zeros_like(2)
torch.rand_like(torch.ones(2,dtype=torch.long))
torch.logspace(0,2,3,2,dtype=torch.float64)
torch.arange(10,0,-3)
torch.arange(0.5)
torch.arange(-2)
torch.linspace(3,10,steps=5,out=torch.empty(5))
torch.arange(3,out=torch.empty(3))
torch.zeros(2,3,out=torch.ones(2,3))
torch.eye(2,out=torch.empty(2,2))
torch.full((2,),3.,out=torch.empty(2))
torch.rand(2,out=torch.empty(2)).shape
torch.randint(0,2,(2,),out=torch.empty(2)).dtype
torch.randperm(3,out=torch.empty(3,dtype=torch.long)).shape
torch.normal(0.,1.,(2,),out=torch.empty(2)).shape
torch.bernoulli(torch.zeros(2),out=torch.ones(2))
torch.tensor([1,2.]).to(torch.int8)
torch.ones(3,device='cpu',pin_memory=False)
torch.ones(3,layout=torch.strided)
torch.zeros((2,),device='cuda')
torch.tensor([1.],device=torch.device('cpu'))
torch.as_tensor(np.ones(2,dtype=np.float32)).dtype
torch.empty((0,)).shape
torch.randn(()).shape
torch.randn((2,3)).shape
torch.randn([2,3]).shape
torch.randn(torch.Size([2])).shape
torch.ones(True)
torch.zeros((2,'a'))
torch.zeros(2,'a')
torch.zeros(None)
torch.full((2,),'a')
torch.full((2,),None)
""".strip().splitlines()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text: str) -> None:
    code = compile(text, "<expression>", "eval")

    def program(torch: Any) -> Any:
        torch.manual_seed(5)
        try:
            result = attempt(lambda: eval(code, {"torch": torch, "np": np}))
        finally:
            torch.set_default_dtype(torch.float32)
        if isinstance(result, tuple) and result and result[0] == "raises":
            # What the argument parser lists after the first line is left aside.
            return [part.partition("\n")[0] for part in result]
        return [result, repr(result)]

    both(program)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_spaces_are_rounded_once(dtype: str) -> None:
    """Products and sums are fused; so -1 to 1 in seven steps has no 0, and integers are cut off
    where PyTorch's are."""
    pairs = [(-1, 1), (0, 1), (-18, 86), (2, -10), (-0.3, 3.1)]
    for start, end in pairs:
        if dtype == "uint8":
            start, end = abs(start), abs(end)
        for steps in (2, 7, 11, 57, 81):
            theirs, ours = (
                engine.linspace(start, end, steps, dtype=getattr(engine, dtype))
                for engine in (torch, graphwidget)
            )
            assert theirs.tolist() == ours.tolist()
    both(lambda torch: torch.logspace(0.9, 2.9, 5, dtype=torch.int64))


def test_float32_ranges_are_pytorchs_bit_for_bit() -> None:
    rng, threads = np.random.default_rng(5), torch.get_num_threads()
    torch.set_num_threads(1)  # long ranges begin anew in each of PyTorch's threads
    try:
        for case in range(3000):
            start = [0, 0.0, rng.uniform(-10, 10), int(rng.integers(-5, 6))][case % 4]
            step = [1, 1.0, -0.5, 0.1, 0.01, 1 / 3, rng.uniform(0.001, 2)][case % 7]
            end = start + step * int(rng.integers(0, 100_000 if case % 50 == 0 else 300))
            ends = start, round(end, 2) if case % 3 else end, step
            if (ends[1] - start) * step < 0:
                continue
            found, expected = (
                module.arange(*ends, dtype=module.float32).numpy()
                for module in (graphwidget, torch)
            )
            assert found.tobytes() == expected.tobytes(), ends
    finally:
        torch.set_num_threads(threads)


def test_range_warns_and_includes_its_end() -> None:
    both(lambda torch: [torch.range(0, 3), torch.range(1, 2, 0.5)])
    both(lambda torch: torch.range(3, 0))


@pytest.mark.parametrize("size", [(), (5,), (40,)])
def test_distributions(size: tuple[int, ...]) -> None:
    def program(torch: Any) -> Any:
        torch.manual_seed(11)
        made = [
            torch.empty(size).exponential_(2.0),
            torch.empty(size, dtype=torch.float64).cauchy_(1, 3),
            torch.empty(size).geometric_(0.3),
            torch.empty(size).log_normal_(0.5, 0.7),
            torch.empty(size, dtype=torch.int64).random_(),
            torch.empty(size, dtype=torch.uint8).random_(7),
            torch.empty(size, dtype=torch.float64).random_(3, 2**40),
            torch.bernoulli(torch.full(size, 0.3)),
            torch.normal(torch.zeros(size), 2.0),
            torch.normal(3.0, torch.ones(size)),
            torch.rrelu(-torch.ones(size), 0.1, 0.3, training=True),
        ]
        if size:
            weights = torch.rand(2, *size)
            made += [
                torch.multinomial(weights, 4),
                torch.multinomial(weights[0], 7, replacement=True),
                torch.multinomial(weights, 1, replacement=True),
            ]
        return [*made, torch.rand(3)]

    both(program)


def test_histories_of_random_writes() -> None:
    writes = ["normal_()", "uniform_()", "exponential_()", "cauchy_()", "geometric_(0.5)",
              "log_normal_()", "bernoulli_()", "bernoulli_(p)", "random_()", "random_(3)",
              "random_(1, 3)"]  # fmt: skip

    def program(torch: Any) -> Any:
        torch.manual_seed(1)
        shown = []
        for write in writes:
            x, p = torch.ones(3, requires_grad=True), torch.full((3,), 0.5, requires_grad=True)
            z = x * 2
            eval(f"z.{write}", {"z": z, "p": p})
            z.sum().backward()
            shown += [z, x.grad, p.grad]
        x = torch.full((3,), 0.5, requires_grad=True)
        return [*shown, torch.bernoulli(x), torch.normal(x, 1.0),
                torch.normal(0.0, x), torch.normal(x, x)]  # fmt: skip

    both(program)
