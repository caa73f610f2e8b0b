// Package kube talks to the Kubernetes API server: it reads objects, makes changes, and runs
// commands in pods. Package watch follows objects, podlogs follows logs, plugin runs login plugins.
//
// Cluster is one kubeconfig context (or the cluster Rung runs in); making it does no I/O.
// CampaignForZone campaigns for a Lease; the other methods ask the server when they are
// called, unless it has answered moments ago.
//
// Invariants: objects handed on are immutable, and their text is clean, except Policy.YAML and
// Policy.Original; a refusal of the server (no permission, no such resource, an expired token, no
// answer) is a state with its reason, never a silence; every goroutine ends with its context, a
// call shared by several callers (SharedAnswers) with the last of theirs, except for a
// request whose credential plugin does not answer, which lasts as long as the plugin, and an
// exec over SPDY whose server stops in the handshake; nothing is written except by the
// methods that say so.
//
// It imports the model packages, the tools of sources, sources/manifests for one reading of
// objects, and client-go. The engine, watch and podlogs import it.
package kube
