"""Why a tensor rule holds: the index formula of an operation, its derivative, and one entry in numbers."""
