Birds
sing	always
.

