package model

import "errors"

// ErrRefused marks a transaction or change that its receiver refused as a
// whole: nothing was done, and the same request would be refused again.
var ErrRefused = errors.New("refused")

// ErrWait marks a transaction whose wait was not met: nothing was done, because a
// row is not as the sender takes it to be.
var ErrWait = errors.New("not as expected")
