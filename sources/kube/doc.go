// Package kube talks to the Kubernetes API server: it reads objects, makes changes, runs
// commands in pods, follows objects (Follow) and the logs of the pods that run OVN-Kubernetes
// (Reader), and runs the login plugins of a kubeconfig.
//
// Cluster is one kubeconfig context (or the cluster Rung runs in); making it does no I/O.
// CampaignForZone campaigns for a Lease. The other methods ask the server when they are called,
// unless it has answered moments ago.
//
// Invariants: objects handed on are complete, trimmed and immutable, and their text is clean,
// except Policy.YAML and Policy.Original; text of log lines is as written. A refusal of the
// server (no permission, no such resource, an expired token, no answer) is a state with its
// reason, and what was read before stays. No log line comes twice; a Gap says where lines may
// be missing, and why. Memory is bounded however much is logged. Every goroutine ends with its
// context, a call shared by several callers (SharedAnswers) with the last of theirs. Exceptions:
// a request whose login plugin does not answer lasts as long as the plugin, and an exec over
// SPDY whose server stops in the handshake. Only methods that say so write.
//
// It imports the model packages, the tools of sources, sources/manifests for one reading of
// objects, and client-go. The engine imports it.
//
// Delivers objects to an engine: the interface of a source, the step it
// delivers, and an API server as a source.
//
// Invariant: an Update is a whole step; nothing half-read is published.
//
// engine, gate and cli may import it; it imports revision, model, sources/kube and sources/manifests.
package kube
