// Package template makes sets of policies from patterns that admins use again and again:
// tenants that reach themselves only, a default deny with what every pod needs, monitoring,
// quarantine, break-glass, a baseline, and what is left to NetworkPolicies. A template is
// data: what it is for, two or three questions whose answers are picked from the cluster,
// and the policies made from the answers.
//
// Invariants: a set made twice from the same answers and cluster is the same; every policy
// of a set carries the annotation model.AnnotationTemplate, from which the set is known
// again and can be made whole (KnownSets, KnownSet.MissingPolicies); answers that come from an annotation
// are checked as those that are typed; a free priority is chosen by model/plan.
//
// It imports model packages and may be imported by model/lint and everybody above the model.
package template
