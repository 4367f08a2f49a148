/* The kinds of groups: scopes of the log, equal modules in a row, parts of a long run of ops. */

export type GroupKind = "module" | "function" | "loop" | "iteration" | "repeat" | "part" | "fused";
