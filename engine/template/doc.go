// Package template makes sets of policies from patterns that admins use again and again: tenants that reach
// themselves only, a default deny with what every pod needs, monitoring, quarantine, break-glass, a baseline,
// and what is left to NetworkPolicies.
//
// A template is a file in patterns: what it is for, two or three questions, its policies and what must hold
// with them, with placeholders ($tenants) for answers and for facts of the cluster. Answers are picked from
// what the cluster offers (World), or typed; a free priority is chosen by model/plan. The set is text for one
// change.
//
// Invariants: the same answers and cluster make the same set; an offered answer is checked like a typed one; a set
// is valid, or there is an error.
package template
