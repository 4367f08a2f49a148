"""How a call computes and is recorded: generated functions and nodes, promotion, writes."""
