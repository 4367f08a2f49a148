"""The first sight of each program's page, written by hand from its source."""

from __future__ import annotations

from typing import NamedTuple


class Opens(NamedTuple):
    """The first sight of a page: written by hand, from the program's source."""

    on: str
    """The first words: the loss, or the result."""
    line: str
    """The line that they are about."""
    iterations: tuple[str, ...]
    """Of each loop around, the outermost first."""
    models: tuple[str, ...]
    """Modules and functions that are drawn as boxes or frames."""
    cards: tuple[str, ...]
    """Values that are drawn by these names."""
    inside: tuple[str, ...] = ()
    """Names in the library's own code, in a module of it that stands open."""


TWO, THREE, FOUR = ("2 / 2",), ("3 / 3",), ("4 / 4",)
BACKWARD = "loss.backward()"

PROGRAMS = {
    "accumulation": Opens(
        "scaler.scale(loss)",
        "scaler.scale(loss).backward()",
        ("8 / 8",),
        ("model", "criterion"),
        ("x", "y", "out", "loss"),
    ),
    "actor_critic": Opens("loss", BACKWARD, TWO, ("finish_episode()",), ("state", "loss")),
    "autocast": Opens(
        "loss", BACKWARD, THREE, ("net", "loss_fn"), ("images", "labels", "logits", "loss")
    ),
    "bert": Opens(
        "outputs.loss",
        "outputs.loss.backward()",
        TWO,
        ("model.bert", "model.dropout", "model.classifier", "loss_fct"),
        ("batch['input_ids']", "batch['a…ion_mask']", "batch['labels']", "outputs.logits"),
        ("loss_fct",),
    ),
    "best_state": Opens("loss", BACKWARD, THREE, ("model", "criterion"), ("x", "y", "loss")),
    "char_rnn": Opens(
        "loss", BACKWARD, FOUR, ("rnn",), ("data", "x", "y", "hidden", "output", "loss")
    ),
    "checkpointed": Opens("loss", BACKWARD, TWO, ("net",), ("x", "y", "loss")),
    "compiled": Opens("loss", BACKWARD, THREE, ("compiled",), ("x", "y", "loss")),
    "diffusion": Opens(
        "loss", BACKWARD, THREE, ("model",), ("x0", "t", "noise", "a", "xt", "loss")
    ),
    "dqn": Opens(
        "loss",
        BACKWARD,
        ("12 / 12",),
        ("policy_net", "optimize_model()", "state_dict()", "for key, value in policy_net"),
        ("state (earlier)", "action", "value", "target_s…1.weight']", "loss"),
    ),
    "ema_dict": Opens("loss", BACKWARD, FOUR, ("model",), ("x", "y", "loss")),
    "encoder_classifier": Opens(
        "loss", BACKWARD, TWO, ("model",), ("tokens", "labels", "logits", "loss")
    ),
    "fft": Opens("loss", BACKWARD, THREE, ("model",), ("u0", "u1", "pred", "loss")),
    "generate": Opens(
        "tokens",
        "tokens = model.generate(prompt, ",
        (),
        ("model", "generate()"),
        ("prompt", "tokens"),
    ),
    "gnn_by_hand": Opens(
        "loss", BACKWARD, THREE, ("net",), ("h", "src", "dst", "target", "pred", "loss")
    ),
    "gpt2": Opens("loss", BACKWARD, THREE, ("model",), ("input_ids", "outputs.logits", "loss")),
    "lightning_fit": Opens(
        "loss",
        "trainer.fit(model, loader)",
        ("2 / 2", "3 / 3"),
        ("training_step()", "model.net"),
        ("x", "logits", "loss"),
    ),
    "loader_tqdm": Opens(
        "loss",
        BACKWARD,
        ("2 / 2", "3 / 3"),
        ("model", "criterion"),
        ("inputs", "targets", "outputs", "loss"),
    ),
    "lora": Opens("loss", BACKWARD, TWO, ("model", "base"), ("tokens", "loss")),
    "maml": Opens(
        "meta_loss",
        "meta_loss.backward()",
        ("2 / 2", "2 / 2"),
        ("model",),
        ("amplitude", "inner_loss", "meta_loss"),
    ),
    "matrix_factorization": Opens(
        "loss",
        BACKWARD,
        ("2 / 2", "2 / 2"),
        ("model", "loss_fn"),
        ("users", "items", "ratings", "prediction", "loss"),
    ),
    "neural_ode": Opens(
        "loss", BACKWARD, THREE, ("odeint()",), ("true_y0", "t", "true_y", "pred_y", "loss")
    ),
    "per_sample_grads": Opens("norms", "norms = torch.stack(", (), ("compute_loss()",), ("norms",)),
    "ppo": Opens(
        "loss",
        BACKWARD,
        FOUR,
        (),
        ("logp_b", "returns", "values", "advantage", "ratio", "clipped", "policy_loss", "loss"),
    ),
    "pyg_gcn": Opens(
        "loss",
        BACKWARD,
        THREE,
        ("model",),
        ("edge_index", "data.y", "data.train_mask", "out", "loss"),
    ),
    "resnet": Opens(
        "loss", BACKWARD, TWO, ("model", "criterion"), ("inputs", "targets", "outputs", "loss")
    ),
    "seq2seq": Opens(
        "loss",
        BACKWARD,
        THREE,
        ("encoder", "decoder", "criterion"),
        ("lengths", "src", "tgt", "enc_out", "logits", "loss"),
    ),
    "siamese": Opens(
        "loss", BACKWARD, THREE, ("encoder", "nt_xent()"), ("batch", "view1", "view2", "loss")
    ),
    "t5": Opens("loss", BACKWARD, TWO, ("model",), ("source", "target", "loss")),
    "trainer": Opens("loss", "trainer.train()", THREE, ("model",), ("loss",)),
    "unet_ema": Opens("loss", BACKWARD, THREE, ("model",), ("image", "mask", "pred", "loss")),
    "vae": Opens(
        "loss",
        BACKWARD,
        ("2 / 2", "3 / 3"),
        ("model", "loss_function()"),
        ("data", "mu", "logvar", "recon_batch", "loss"),
    ),
    "vit": Opens("loss", BACKWARD, TWO, ("model",), ("images", "labels", "logits", "loss")),
    "wgan_gp": Opens(
        "g_loss",
        "g_loss.backward()",
        ("2 / 2", "2 / 2"),
        ("G", "D", "gradient_penalty()"),
        ("real", "fake", "d_loss", "g_loss"),
    ),
}
