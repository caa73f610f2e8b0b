// Package pod shows one pod and every rule that touches it, as subject or as
// peer, in precedence order; the NetworkPolicies that select it; its networks
// and its logical port in each zone.
//
// It may import what any view may; ui imports it.
package pod
