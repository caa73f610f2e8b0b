// Package plugin keeps the login plugin of a kubeconfig (users[].user.exec) in a fence.
//
// client-go starts the plugin, waits for it whatever becomes of the request, and knows
// no way to end it. So Fence has it start Rung itself (Command), and RunChild, in that
// child, runs the plugin.
//
// Invariants: a plugin ends with Rung, however that ends, with the signals that end
// Rung, and when the time for a request is over, and what it has started in its session
// ends with it; a plugin that ends by itself is not followed, since it may have started
// a browser; what it says on stderr is clean; it has its own arguments and environment,
// and no terminal.
//
// It imports model/clean, and of client-go what a kubeconfig is; kube and engine import
// it.
package plugin
