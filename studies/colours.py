"""The colours of Okabe and Ito, which the colour-blind tell apart, and markers that print without colour does."""

COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#000000",
}
BLUE, ORANGE, GREY = "#2a86c8", "#c4791b", "#7f7f7f"  # of pictures without a background: 3.5 to 1 on white and on black
