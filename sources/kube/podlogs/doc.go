// Package podlogs follows the logs of the pods that run OVN-Kubernetes, and reads the
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
package podlogs
