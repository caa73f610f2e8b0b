// Package kube is the Kubernetes API server as a source of objects, and the way
// for changes and for commands in pods. What follows objects lies in watch, what follows
// logs in podlogs, what runs login plugins in plugin.
//
// Cluster is one kubeconfig context (or the cluster Rung runs in); making it does
// no I/O. Lead campaigns for a Lease; the other methods
// ask the server when they are called, unless it has answered moments ago.
//
// Invariants: objects handed on are immutable, and their text is clean, except
// Policy.YAML and Policy.Original; what the server refuses (no permission, no such resource, an expired token, no answer)
// is a state with its reason, never a silence; every goroutine ends with its
// context, what several ask for at once (Shared) with the last of theirs, but for a
// request whose credential plugin does not answer, which lasts as long as the plugin, and
// an exec over SPDY whose server stops in the handshake; nothing is written except by the methods that say so.
//
// It imports the model packages, the tools of sources, sources/manifests for one
// reading of objects, and client-go. The engine, watch and podlogs import it.
package kube
