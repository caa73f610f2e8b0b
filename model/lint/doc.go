// Package lint finds what an admin should know about policies before they
// bite: what OVN-Kubernetes will not enforce or enforces other than it is
// written, what stops a policy from being programmed, what cuts off more than
// its author may mean, and what does nothing.
//
// Invariants: the same cluster gives the same findings in the same order;
// selectors are evaluated per label set, so that a cluster of 10,000 pods is
// linted in well under a second; nothing is changed and nothing outside the
// cluster is asked.
//
// Kinds is the registry of findings: code, severity, sentence, short form and remedy of each kind,
// the most important first. A code never changes, since scripts and annotations name it.
//
// The files networks*.go are about networks besides the default one (docs/networks.md). Each
// fault is reported once, of the object that has it.
//
// The files vital*.go find what nearly every pod needs, for whoever judges a change by it: the pods that
// answer DNS, the API server, webhooks, and the ports at which rules meet them, after load balancing.
//
// It imports model packages only; every package above the model may import it.
package lint
