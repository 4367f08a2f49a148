# The Trainer of transformers on a tiny GPT-2.
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Tokens(Dataset):
    def __init__(self, n):
        self.rows = torch.randint(0, 64, (n, 12))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=2))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    per_device_train_batch_size=4,
    max_steps=3,
    report_to=[],
    save_strategy="no",
    use_cpu=True,
    disable_tqdm=True,
    logging_steps=1,
)
trainer = Trainer(model=model, args=args, train_dataset=Tokens(12))
trainer.train()
