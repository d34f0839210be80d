import { existsSync } from 'node:fs';
import temporal from 'eslint-plugin-temporal';
import tseslint from 'typescript-eslint';

/** A workspace of its own, which is linted where its packages are installed: without them nothing there has a type. */
const UNINSTALLED = existsSync('bench/peers/node_modules') ? [] : ['bench/peers/'];

export default tseslint.config(
  { ignores: ['**/dist/', 'out/', '**/node_modules/', '.dailies/', 'coverage/', ...UNINSTALLED] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      'no-new': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a const object or a union.' },
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only workers/config/config.ts and scripts/ read the environment.',
        },
      ],
    },
  },
  {
    files: ['workflows/**/*.ts'],
    extends: [temporal.configs.strict],
    rules: {
      // Contradict typescript-eslint: setHandler returns void, and Query<R, []> is its default.
      'temporal/workflow-no-floating-promises': 'off',
      'temporal/workflow-require-explicit-payload-types': 'off',
      // Takes every exported function for a workflow.
      'temporal/workflow-prefer-single-object-args': 'off',
      // All histories are replayed, by test/replay and by every rig.
      'temporal/workflow-replay-testing-required-comment': 'off',
      // Shots take as long as they take; each has a deadline of its own.
      'temporal/workflow-condition-timeout-style': 'off',
    },
  },
  {
    files: [
      'workers/config/config.ts',
      // Keeps it from the programs that it starts.
      'media/confined.ts',
      'scripts/**/*.ts',
      'bench/**/*.ts',
      'drill/**/*.ts',
      'fuzz/**/*.ts',
      'examples/**/*.ts',
      'test/**/*.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'Use a const object or a union.' }],
    },
  },
  {
    // Examples write what comes of them where a person sees it.
    files: ['examples/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // expect.any() and its like are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
    },
  },
);
