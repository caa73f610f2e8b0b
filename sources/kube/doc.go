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
//
// It also follows all objects of a cluster that Rung reads: a feed for each resource, which
// lists in pages and watches from there (Follow).
//
// Invariants: nothing half-read is handed on; objects handed on are immutable, trimmed, and their
// text is clean, except Policy.YAML and Policy.Original; a resource that is not served, not
// permitted or not answered is a state with its reason (Resource), never a silence, and what was
// read of it before stays; every goroutine ends with its context.
//
// It imports model, sources/kube, sources/manifests for one reading of objects, the tools of
// sources, and client-go. The engine imports it.
//
// It also follows the logs of the pods that run OVN-Kubernetes, and reads the
// newest lines of one.
//
// Reader finds the container of a node whose log is wanted and asks the API server
// for it. Follow goes on through rotation, cut connections, restarts and replaced
// pods; Tail reads once; ParseKlog reads a line of ovnkube-controller.
//
// Invariants: no line comes twice; where lines may be missing a gap is told, with its
// time and reason; what keeps a log away is a state with its remedy, never a silence;
// memory is bounded however much is logged; every goroutine ends with its context, a
// list of pods that several wait for with the last of theirs. Text of lines is as it
// was written.
//
// It imports sources/kube, whose cluster it asks, and the model packages. The engine
// imports it.
package kube
