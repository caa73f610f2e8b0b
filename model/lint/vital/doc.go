// Package vital finds what nearly every pod needs: the pods that answer DNS and the API server, with
// the ports at which rules meet them, which is after load balancing.
//
// It imports model and model/overlap; model/lint and whoever judges a change by these imports it.
package vital
