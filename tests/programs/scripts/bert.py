# Sequence classification with a tiny BERT; the batch is a dict, as tokenizers give it.
import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(
    vocab_size=64,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
    num_labels=3,
)
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.train()
for step in range(2):
    batch = {
        "input_ids": torch.randint(0, 64, (4, 10)),
        "attention_mask": torch.ones(4, 10, dtype=torch.long),
        "labels": torch.randint(0, 3, (4,)),
    }
    batch["attention_mask"][0, 7:] = 0
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, outputs.loss.item())
