//! Stages and capabilities: `VG07xx`.

use super::codes;

codes! {
    VG0701 Error "unknown kind of stage" {
        why: "Kinds are `enrich`, `observe`, `normalise`, `downstream` and `sanitise`; a stage is switched by `true` and `false`, an `observe` stage also by `off` and `observe`.",
        bad: "{ name: a, kind: enrichh }",
        good: "{ name: a, kind: enrich }",
    }
    VG0702 Error "stage out of order" {
        why: "Kinds stand in the order `enrich`, `observe`, `normalise`, `downstream`, `sanitise`: what is observed is the result before the cleanup, and the security transform is the last of ours.",
        bad: "- { name: a, kind: sanitise }\n- { name: b, kind: enrich }",
        good: "- { name: b, kind: enrich }\n- { name: a, kind: sanitise }",
    }
    VG0703 Error "name given twice" {
        why: "Stages and sources are named once.",
        bad: "- { name: a, kind: enrich }\n- { name: a, kind: observe }",
        good: "- { name: a, kind: enrich }\n- { name: b, kind: observe }",
    }
    VG0704 Error "enforce" {
        why: "Hard enforcement is not supported: a result hook carries no proof of which tool made a result, and a later party can put raw content back.",
        bad: "kind: enforce",
        good: "kind: observe",
    }
    VG0705 Error "coordinator" {
        why: "Stages run independently, one after the other. A coordinator is not introduced, since no conflict that needs one is there.",
        bad: "coordinator: true",
        good: "# leave it out",
    }
    VG0706 Error "provider's stages out of order" {
        why: "`redact` comes before `sanitise`; exactly one `sanitise`, the last.",
        bad: "- { name: a, kind: sanitise }\n- { name: b, kind: redact }",
        good: "- { name: b, kind: redact }\n- { name: a, kind: sanitise }",
    }
    VG0707 Error "claim without a reason" {
        why: "A claim about a source says why no more is claimed, and on which version that was seen.",
        bad: "{ source: bash, capture: limited }",
        good: "{ source: bash, capture: limited, why: the end is cut, seen_on: 0.85.1 }",
    }
    VG0708 Error "tools on a stage that sees all" {
        why: "Only a normaliser is for certain tools.",
        bad: "{ name: a, kind: enrich, tools: [read] }",
        good: "{ name: a, kind: normalise, tools: [read] }",
    }
    VG0709 Error "known stage under another kind" {
        why: "The decision record gives each of its stages one kind, which is what it may do to a result. The same name with another kind would hold another power than its name says.",
        bad: "{ name: context_gateway, kind: enrich }",
        good: "{ name: context_gateway, kind: observe }",
    }
}
