"""Writes scikit-learn's 1797 handwritten digits, of 8 x 8 points, as files that `cnn` reads.

python3 examples/10_cnn_digits.py FOLDER      needs NumPy and scikit-learn
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    order = np.random.default_rng(1).permutation(len(digits.target))  # writers follow each other
    images = (digits.images[order] / 16).astype(np.float32)
    np.save(folder / 'digits_images.npy', images)
    np.save(folder / 'digits_labels.npy', digits.target[order].astype(np.int64))


if __name__ == '__main__':
    main()
