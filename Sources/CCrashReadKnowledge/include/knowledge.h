#ifndef CRASHREAD_KNOWLEDGE_H
#define CRASHREAD_KNOWLEDGE_H

#include <stddef.h>

/// A document built into the program: UTF-8 without a zero at its end.
struct knowledge_document {
  const unsigned char *_Nonnull bytes;
  size_t count;
};

/// Rules, lists of functions, code tables, and the texts of each language: the files of CrashReadDiagnosis/Knowledge.
struct knowledge_document knowledge_rules(void);
struct knowledge_document knowledge_frames(void);
struct knowledge_document knowledge_codes(void);
struct knowledge_document knowledge_en(void);
struct knowledge_document knowledge_ja(void);
/// Contracts and their texts in each language: a JSON array each, with one contract a line.
struct knowledge_document knowledge_contracts(void);
struct knowledge_document knowledge_contracts_en(void);
struct knowledge_document knowledge_contracts_ja(void);

#endif
