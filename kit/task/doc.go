// Package task keeps tasks that outlive a conversation: with an owner, and with other tasks that must be done before. Many
// agents, and many processes, may work off one board.
//
// # The files
//
// A task is a document task/N, which the product puts at .tasks/task_N.json in the work directory: id, subject,
// description, status (pending, in_progress, completed), owner (a text or null), blockedBy and blocks (lists of ids), with
// an indent of two. Other programs may read and write the same files: fields that we do not know are kept, and every look
// at the board is one at the files. A file that is no task is named with what is wrong with it ([Fault]) and left alone;
// the others count.
//
// # What blocks
//
// A task may be begun when nothing blocks it. An id in blockedBy blocks as long as there is such a task and it is not
// completed: that is found out at each look, so that neither a process that died between two files nor a hand that has
// removed one can block a task for ever. Completing a task takes its id out of every blockedBy; removing one takes it out of
// blocks, too. An id that is added to blocks is put into the other task's blockedBy as well, as it would block nothing
// otherwise; one that is added to blockedBy is put nowhere else. Nothing may block itself, over however many tasks.
//
// # Who is first
//
// All changes are made under one lock that holds between processes, and each file is replaced as a whole, if it is still
// as it was read. So of many who claim a task one gets it. A process that is killed leaves whole files. Ids are counted up
// from the highest that any file names, and no [Board] gives one twice.
package task
