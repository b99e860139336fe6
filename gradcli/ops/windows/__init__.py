"""Operations over windows of images and rows: convolution, pooling, padding, resizing."""
