// Package policy decides which calls may run, by the mode the person chose.
//
// [New] makes a hook that judges every call by the [agent.Effect] of its tool. In mode auto a command asks as in mode
// ask, because there is no sandbox yet that could hold it; what is written outside the work directory is the tools' own
// question in every mode. A question offers one rule: exactly this command, or this tool with this path. Who answers
// "always" is not asked again for it in this session, by the agent or its sub-agents, until the program ends.
package policy
