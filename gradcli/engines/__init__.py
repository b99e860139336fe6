"""The work of one task of a cluster: batches of Arrow in, batches of Arrow out, whichever engine hands them over."""
