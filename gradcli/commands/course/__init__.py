"""Work for `gradcli check`: handing out, marking a class, and reports."""
