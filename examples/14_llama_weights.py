"""Writes a folder as Hugging Face has them for Llama models: tiny, of random weights.

python3 examples/14_llama_weights.py FOLDER [SEED]      needs NumPy
"""

import json
import pathlib
import struct
import sys

import numpy as np

CONFIG = {
    'architectures': ['LlamaForCausalLM'],
    'model_type': 'llama',
    'vocab_size': 96,
    'hidden_size': 64,
    'intermediate_size': 160,
    'num_hidden_layers': 3,
    'num_attention_heads': 8,
    'num_key_value_heads': 2,
    'rms_norm_eps': 1e-5,
    'rope_theta': 10000.0,
    'tie_word_embeddings': False,
}


def weights(config, seed):
    """The tensors by name; those of linear layers are [out, in]."""
    numbers = np.random.default_rng(seed)
    width, hidden = config['hidden_size'], config['intermediate_size']
    shared = width // config['num_attention_heads'] * config['num_key_value_heads']

    def linear(out, size):
        return (numbers.standard_normal((out, size)) / size**0.5).astype(np.float32)

    def scale():
        return (1 + 0.1 * numbers.standard_normal(width)).astype(np.float32)

    table = numbers.standard_normal((config['vocab_size'], width)).astype(np.float32)
    tensors = {'model.embed_tokens.weight': table}
    for i in range(config['num_hidden_layers']):
        block = f'model.layers.{i}.'
        tensors |= {
            block + 'input_layernorm.weight': scale(),
            block + 'self_attn.q_proj.weight': linear(width, width),
            block + 'self_attn.k_proj.weight': linear(shared, width),
            block + 'self_attn.v_proj.weight': linear(shared, width),
            block + 'self_attn.o_proj.weight': linear(width, width),
            block + 'post_attention_layernorm.weight': scale(),
            block + 'mlp.gate_proj.weight': linear(hidden, width),
            block + 'mlp.up_proj.weight': linear(hidden, width),
            block + 'mlp.down_proj.weight': linear(width, hidden),
        }
    tensors['model.norm.weight'] = scale()
    tensors['lm_head.weight'] = linear(config['vocab_size'], width)
    return tensors


def write_safetensors(path, tensors):
    """f32 tensors: the length of a header in JSON, the header, and the elements."""
    header, end = {}, 0
    for name, tensor in tensors.items():
        header[name] = {'dtype': 'F32', 'shape': list(tensor.shape),
                        'data_offsets': [end, end + tensor.nbytes]}
        end += tensor.nbytes
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with path.open('wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.astype('<f4').tobytes())


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    (folder / 'config.json').write_text(json.dumps(CONFIG, indent=2) + '\n')
    write_safetensors(folder / 'model.safetensors', weights(CONFIG, seed))


if __name__ == '__main__':
    main()
