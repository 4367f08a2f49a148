# Text generation with a tiny GPT-2.
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(
    GPT2Config(
        vocab_size=64,
        n_positions=32,
        n_embd=32,
        n_layer=2,
        n_head=2,
        bos_token_id=1,
        eos_token_id=2,
    )
)
model.eval()
prompt = torch.randint(3, 64, (1, 5))
tokens = model.generate(prompt, max_new_tokens=4, do_sample=False, pad_token_id=0)
print(tokens)
