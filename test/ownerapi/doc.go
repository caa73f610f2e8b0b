// Package ownerapi is an API server for tests of who writes a zone: pods, Leases and
// conditions of policies.
package ownerapi
