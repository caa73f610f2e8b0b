package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rung/engine/trace"
)

// addPortFlags adds the flags for port and protocol. --port also takes a port with its protocol as in 53/udp, like the
// console.
func addPortFlags(cmd *cobra.Command, port *int, usage string, protocol *string, ofProtocol string) {
	withProtocol := "" // the argument of --port, if it names the protocol
	cmd.Flags().StringVar(protocol, "protocol", *protocol, ofProtocol)
	cmd.Flags().Func("port", usage, func(text string) error {
		var q trace.Question
		if err := q.ReadService(text); err != nil || q.Port == 0 {
			return errors.New("use 1 to 65535, or with its protocol, as in 53/udp")
		}
		*port = q.Port
		if q.Protocol != "" {
			*protocol, withProtocol = q.Protocol, text
		}
		return nil
	})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if withProtocol != "" && cmd.Flags().Changed("protocol") {
			return fmt.Errorf("--port %s says the protocol already: leave --protocol out", withProtocol)
		}
		return nil
	}
}
