package kube

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
)

// ErrNoCluster says that no cluster is configured; a NoClusterError says where one was
// looked for.
var ErrNoCluster = errors.New("no cluster")

// NoClusterError says where a cluster was looked for, in that order. errors.Is finds
// ErrNoCluster in it.
type NoClusterError struct{ Looked []Place }

// Place is where a cluster was looked for, and why there is none.
type Place struct{ Name, Why string }

// Error lists the places on one line.
func (e *NoClusterError) Error() string {
	var places []string
	for _, p := range e.Looked {
		places = append(places, p.Name+" ("+p.Why+")")
	}
	return ErrNoCluster.Error() + ": looked at " + strings.Join(places, ", ")
}

// Unwrap is ErrNoCluster.
func (e *NoClusterError) Unwrap() error { return ErrNoCluster }

// Why a place has no cluster.
const (
	notSet    = "not set"
	notThere  = "does not exist"
	noContext = "has no context"
	noPod     = "not in a pod"
	noToken   = "no token mounted"
)

// lookedAt are the places in which a kubeconfig names no cluster, in the order in which
// kubectl looks.
func lookedAt(o Options) []Place {
	if o.Kubeconfig != "" {
		return []Place{{"--kubeconfig " + o.Kubeconfig, inFile(o.Kubeconfig)}}
	}
	const variable = clientcmd.RecommendedConfigPathEnvVar
	var places []Place
	if env := os.Getenv(variable); env != "" {
		for _, path := range filepath.SplitList(env) {
			places = append(places, Place{variable + "=" + path, inFile(path)})
		}
	} else {
		places = append(places, Place{variable, notSet},
			Place{clientcmd.RecommendedHomeFile, inFile(clientcmd.RecommendedHomeFile)})
	}
	why := noToken
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		why = noPod
	}
	return append(places, Place{"the service account of a pod", why})
}

// inFile says why a kubeconfig that could be read has no cluster.
func inFile(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return notThere
	}
	return noContext
}
