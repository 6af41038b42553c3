"""Small benchmark results, workload cards and gate logs, and the looks at one value: for the tests of this folder."""
# SPDX-License-Identifier: MIT
import json

from harness import Case

CARD = "workload:\n  model:\n    phase: inference\n    moe: true\n"


def result(**more):
    """A result as its benchmark writes it; a key with the value ... is left out."""
    keys = {"backend": "vllm", "duration": 10.0, "completed": 4, "total_input_tokens": 40, "total_output_tokens": 80,
            "request_throughput": 0.4, "output_throughput": 8.0, "mean_ttft_ms": 10.5, "mean_tpot_ms": 2.5}
    keys.update(more)
    return json.dumps({k: v for k, v in keys.items() if v is not ...}, indent=1)


def detailed(**more):
    """Six requests: three tokens each but for the fourth (two), the fifth (one) and the sixth, which failed."""
    return result(completed=5, failed=1, duration=2.0, total_output_tokens=12, mean_ttft_ms=..., mean_tpot_ms=..., request_throughput=2.5,
                  input_lens=[8] * 6, output_lens=[3, 3, 3, 2, 1, 0], ttfts=[0.1, 0.2, 0.3, 0.4, 0.5, 0.0],
                  itls=[[0.01, 0.03], [0.02, 0.02], [0.01, 0.01], [0.05], [], []], errors=[""] * 5 + ["timeout"],
                  start_times=[100.0, 100.1, 100.2, 100.3, 100.4, 100.5], **more)


def with_value(key, value, **more):
    """A result with the text `value` for the key, and where that stands: line:column."""
    text = result(**{**more, key: "@@"}).replace('"@@"', value)
    before = text[:text.index(f'"{key}": ') + len(key) + 4]
    return text, f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def gate_log(rows, **more):
    keys = {"step": list(range(len(rows))), "num_tokens": [4] * len(rows), "expert_loads": rows}
    keys.update(more)
    return json.dumps({k: v for k, v in keys.items() if v is not ...}, indent=2)


class MetricCase(Case):
    def write_run(self, *results, card=CARD, folder="run"):
        """A run folder with results 0.json, 1.json and so on."""
        if card is not None:
            self.write(f"{folder}/card.yaml", card)
        for i, text in enumerate(results):
            self.write(f"{folder}/results_json/{i}.json", text)

    def value(self, name, *words):
        """What is printed, without the line's end; nothing else may be said."""
        r = self.ok("metric", name, *words)
        self.assertEqual(r.err, "")
        self.assertTrue(r.out.endswith("\n"))
        return r.out[:-1]

    def number(self, name, *words):
        return float(self.value(name, *words))

    def refused(self, status, name, *words, says=None):
        """Nothing on standard output, and the reason on the other."""
        r = self.fails(status, "metric", name, *words, says=says)
        self.assertEqual(r.out, "")
        return r
