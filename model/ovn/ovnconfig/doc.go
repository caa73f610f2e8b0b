// Package ovnconfig reads the ConfigMaps that hold OVN-Kubernetes' own configuration: OpenShift's, whose one value is
// a file, and upstream's, which has keys of its own.
//
// Compiler and settings use it; sources make its objects. It imports model.
package ovnconfig
