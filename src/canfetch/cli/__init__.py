"""The command line: one file a command, and what the commands share.

    canfetch check URL... --agent TOKEN --robots FILE
    canfetch explain URL... --agent TOKEN --robots FILE
    canfetch matrix URL... --agent TOKEN --agent TOKEN --robots FILE
    canfetch completion bash|zsh|fish

Exit 0: all allowed. 1: some URL is not. 2: some verdict could not be computed. In a batch 2 beats 1 beats 0.
Besides: 130 interrupted, 141 nobody reads the output any more.

The shapes that programs read are described in `formats`.
"""
