"""Which index or clustering would pay for given queries: what each would change and cost. Rules ADVICE-1 to ADVICE-9.

advise      queries put to a table as it is, and to each proposal; the proposals in order of what they save
proposals   what is proposed, and what is known of a query
sample      some file slices, their footers, and how long reading them took
costs       bytes and seconds of building, scaled up from the sample
"""
