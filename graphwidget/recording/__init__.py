"""Recording: events, their log, and what they fold to. Standard library and numpy only."""
