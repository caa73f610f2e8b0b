package model

import "errors"

// ErrRefused marks a transaction or change that its receiver refused as a
// whole: nothing was done, and the same request would be refused again.
var ErrRefused = errors.New("refused")
