// Package controllerlog finds what the ovnkube-controller of a zone wrote lately about a policy.
//
// Invariants: it reads when it is called, and keeps nothing; its text is clean.
//
// It imports sources/kube/podlogs and model. engine, ui and cli import it.
package controllerlog
