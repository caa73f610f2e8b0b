package kube

import "rung/model/clean"

// cleanError is an error of the server with a text that is safe to print.
type cleanError struct{ error }

func (e cleanError) Error() string { return clean.Text(e.error.Error()) }
func (e cleanError) Unwrap() error { return e.error }
