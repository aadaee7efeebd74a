from kata.expect import close, expect


def test_group_layout(trainer, rng):
    """Rewards are credited to the answers of another prompt."""
    a, b = rng.sample(range(4, 14), 2)
    prompts, group_size = [[1, a, 3], [1, b, 3]], 3
    rows = trainer.repeat_for_group(prompts, group_size)
    wanted = [prompts[0]] * 3 + [prompts[1]] * 3  # row i belongs to prompt i // 3
    expect(
        close(rows, wanted),
        called=f"repeat_for_group({prompts}, group_size=3)",
        returned=rows,
        expected=wanted,
        why="Everything behind this reads rows 0, 1, 2 as the answers to the first prompt.",
    )
