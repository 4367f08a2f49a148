"""What belongs to Tensor itself: operators, printing, exchange with numpy; methods are attached."""
