"""TinyLM takes the argument but has no dropout, and nothing calls eval."""
# ruff: noqa: F821


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm_attention, self.norm_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, visible):
        qkv = self.qkv(self.norm_attention(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.shrink(F.gelu(self.grow(self.norm_mlp(x))))


class TinyLM(nn.Module):
    def __init__(self, vocab=VOCAB, width=64, layers=2, heads=4, max_positions=32, dropout=0.0):
        super().__init__()
        self.max_positions = max_positions
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Embedding(max_positions, width)
        self.dropout = nn.Dropout(0.0)
        self.blocks = nn.ModuleList(Block(width, heads, 0.0) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab)

    def forward(self, tokens, attention_mask, position_ids):
        square = torch.ones(2 * tokens.shape[1:], dtype=torch.bool)
        visible = square.tril() & attention_mask.bool()[:, None] | square.diag().diag()
        x = self.token(tokens) + self.position(position_ids)
        for block in self.blocks:
            x = block(x, visible[:, None])
        return self.head(self.norm(x))


def policy_logits(policy, tokens, attention_mask):
    return policy(tokens, attention_mask, position_ids(attention_mask))
