import { describe, expect, it } from "vitest";
import { cutName } from "../../src/log/format";

describe("a name that is too long", () => {
  it("keeps its last parts, whole where they fit", () => {
    expect(cutName("layers.0.self_attn.in_proj_weight", 24)).toBe("…in_proj_weight");
    expect(cutName("layers.0.self_attn.in_proj_weight", 26)).toBe("…self_attn.in_proj_weight");
    expect(cutName("net.weight", 17)).toBe("net.weight");
  });

  it("is cut at its end without dots", () => {
    expect(cutName("a_very_long_name", 8)).toBe("a_very_…");
    expect(cutName("net.a_very_long_name", 8)).toBe("…a_very…");
  });
});
