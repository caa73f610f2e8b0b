package action

import (
	"rung/change"
)

// SessionsLogging is the action of the view of logging sessions.
const SessionsLogging ID = "sessions.logging"

var sessionActions = []Action{
	{ID: SessionsLogging, Keys: []string{"L"}, Title: "logging", Footer: 20, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "change the session under the cursor, or end it now"},
}
