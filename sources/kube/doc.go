// Package kube talks to the Kubernetes API server. It reads and changes objects, and runs commands in pods. It
// follows objects (FromCluster) and the logs of OVN-Kubernetes pods (Reader). It runs the login plugins of a
// kubeconfig, and delivers objects to an engine (Source).
//
// Cluster is one kubeconfig context, or the cluster Rung runs in; making it does no I/O. CampaignForZone
// campaigns for a Lease. Other methods ask the server when called, unless it has answered moments ago.
//
// Invariants: delivered objects are complete, trimmed and immutable. Their text is clean, except Policy.YAML
// and Policy.Original; log lines stay as written. A SourceUpdate is a whole step. A refusal (no permission, no
// such resource, an expired token, no answer) is a state with its reason, and objects read before stay. No log
// line comes twice; a Gap says where lines may be missing. Memory is bounded. Every goroutine ends with its
// context, a shared call (SharedAnswers) with its last caller. Exceptions: a request lasts as long as its
// login plugin, and an exec over SPDY as long as a stopped handshake. Methods that write say so.
//
// It imports the model packages, the tools of sources, sources/manifests and client-go.
package kube
