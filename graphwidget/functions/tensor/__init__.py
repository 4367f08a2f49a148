"""What belongs to Tensor itself: operators, printing, exchange with numpy; its methods are
attached here.
"""
