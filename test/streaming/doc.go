// Package streaming serves pods/exec for tests: the API server's part (WebSocket
// as it is translated since Kubernetes 1.31, and SPDY) before a kubelet's part,
// which is the Kubernetes streaming library. Commands really run, as processes
// of this machine, with a PATH that holds what the pod's image is said to hold.
// Pods and DaemonSets are served to be listed and read.
//
// As with a kubelet, a client that goes away closes its command's stdin and does
// not kill it: what lingers can be asked for with Running.
//
// Only tests import it.
package streaming
