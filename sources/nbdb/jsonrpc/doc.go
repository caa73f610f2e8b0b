// Package jsonrpc is the transport of OVSDB (RFC 7047 §4): JSON-RPC 1.0 objects,
// one after another without a delimiter, over a byte stream. It cuts the stream
// into messages, reads values in one pass without reflection, and writes with a
// deadline, so that a peer that stopped reading can never hold a writer.
//
// Invariants: a message is never longer than MaxMessage; text is returned as it
// came, cleaning it is the caller's duty; nothing here starts a goroutine.
//
// It is a leaf; only sources/nbdb, the packages below it and sources/sandbox
// import it.
package jsonrpc
