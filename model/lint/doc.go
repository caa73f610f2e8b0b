// Package lint finds problems of policies before they do harm: what OVN-Kubernetes does not enforce or
// enforces differently, what keeps a policy from being programmed, what may cut off more than intended, and
// what has no effect.
//
// Invariants: the same cluster gives the same findings in the same order. Selectors are evaluated per label
// set, so a cluster of 10,000 pods takes well under a second. Nothing is changed, and nothing outside the
// cluster is asked.
//
// Kinds is the registry of findings: code, severity, sentence, short form and remedy of each kind, the most
// important first. A code never changes, since scripts and annotations name it.
//
// The files networks*.go are about networks other than the default (docs/networks.md). Each fault is reported
// once, for the object that has it.
//
// The files vital*.go find what nearly every pod needs: the DNS pods, the API server, webhooks, and their
// ports after load balancing. Other packages judge changes by it.
//
// It imports model packages only; every package above the model may import it.
package lint
