// Package template makes sets of policies from common patterns: tenants that reach only themselves, a default
// deny with what every pod needs, monitoring, quarantine, break-glass, a baseline, and parts left to
// NetworkPolicies.
//
// A template is a file in patterns: its purpose, two or three questions, its policies and expectations, with
// placeholders ($tenants) for answers and for facts of the cluster. Answers are picked from what the cluster
// offers (World), or typed; model/plan chooses a free priority. The set is text for one change.
//
// Invariants: the same answers and cluster make the same set; an offered answer is checked like a typed one; a
// set without an error is valid.
package template
